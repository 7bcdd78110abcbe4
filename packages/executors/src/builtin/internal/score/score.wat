;; Adds the weights of eight features, each times its value, to the sums of the labels, two labels at a time.
;; Of each label it is ((sum + a) + b) + ... in this order and in doubles, as `score` of Softmax.ts has it: the same bits.
;; Compiled into scoreWasm.ts by `npm run wasm -w @limbeck/executors`.
(module
  (import "limbeck" "memory" (memory 1))

  ;; features: of u32, values: of f32, both `count` long, which is a multiple of eight; stride: bytes from the weights of a
  ;; feature to those of the next; sums: of f64, `labels` long.
  (func (export "add")
    (param $features i32) (param $values i32) (param $count i32)
    (param $weights i32) (param $stride i32) (param $sums i32) (param $labels i32)
    (local $last i32) (local $pairs i32) (local $sum i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $e i32) (local $f i32) (local $g i32) (local $h i32)
    (local $va v128) (local $vb v128) (local $vc v128) (local $vd v128)
    (local $ve v128) (local $vf v128) (local $vg v128) (local $vh v128)
    (local.set $last (i32.add (local.get $features) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $pairs (i32.add (local.get $sums) (i32.shl (i32.and (local.get $labels) (i32.const -2)) (i32.const 3))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $features) (local.get $last)))

        (local.set $a (call $row (i32.load (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $b (call $row (i32.load offset=4 (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $c (call $row (i32.load offset=8 (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $d (call $row (i32.load offset=12 (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $e (call $row (i32.load offset=16 (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $f (call $row (i32.load offset=20 (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $g (call $row (i32.load offset=24 (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $h (call $row (i32.load offset=28 (local.get $features)) (local.get $weights) (local.get $stride)))
        (local.set $va (f64x2.splat (f64.promote_f32 (f32.load (local.get $values)))))
        (local.set $vb (f64x2.splat (f64.promote_f32 (f32.load offset=4 (local.get $values)))))
        (local.set $vc (f64x2.splat (f64.promote_f32 (f32.load offset=8 (local.get $values)))))
        (local.set $vd (f64x2.splat (f64.promote_f32 (f32.load offset=12 (local.get $values)))))
        (local.set $ve (f64x2.splat (f64.promote_f32 (f32.load offset=16 (local.get $values)))))
        (local.set $vf (f64x2.splat (f64.promote_f32 (f32.load offset=20 (local.get $values)))))
        (local.set $vg (f64x2.splat (f64.promote_f32 (f32.load offset=24 (local.get $values)))))
        (local.set $vh (f64x2.splat (f64.promote_f32 (f32.load offset=28 (local.get $values)))))

        (local.set $sum (local.get $sums))
        (block $odd
          (loop $two
            (br_if $odd (i32.ge_u (local.get $sum) (local.get $pairs)))
            (v128.store (local.get $sum)
              (call $plus
                (call $plus
                  (call $plus
                    (call $plus
                      (call $plus
                        (call $plus
                          (call $plus
                            (call $plus (v128.load (local.get $sum)) (local.get $va) (v128.load64_zero (local.get $a)))
                            (local.get $vb) (v128.load64_zero (local.get $b)))
                          (local.get $vc) (v128.load64_zero (local.get $c)))
                        (local.get $vd) (v128.load64_zero (local.get $d)))
                      (local.get $ve) (v128.load64_zero (local.get $e)))
                    (local.get $vf) (v128.load64_zero (local.get $f)))
                  (local.get $vg) (v128.load64_zero (local.get $g)))
                (local.get $vh) (v128.load64_zero (local.get $h))))
            (local.set $a (i32.add (local.get $a) (i32.const 8)))
            (local.set $b (i32.add (local.get $b) (i32.const 8)))
            (local.set $c (i32.add (local.get $c) (i32.const 8)))
            (local.set $d (i32.add (local.get $d) (i32.const 8)))
            (local.set $e (i32.add (local.get $e) (i32.const 8)))
            (local.set $f (i32.add (local.get $f) (i32.const 8)))
            (local.set $g (i32.add (local.get $g) (i32.const 8)))
            (local.set $h (i32.add (local.get $h) (i32.const 8)))
            (local.set $sum (i32.add (local.get $sum) (i32.const 16)))
            (br $two)))
        (if (i32.and (local.get $labels) (i32.const 1))
          (then
            (v128.store64_lane 0 (local.get $sum)
              (call $plus
                (call $plus
                  (call $plus
                    (call $plus
                      (call $plus
                        (call $plus
                          (call $plus
                            (call $plus (v128.load64_zero (local.get $sum)) (local.get $va) (v128.load32_zero (local.get $a)))
                            (local.get $vb) (v128.load32_zero (local.get $b)))
                          (local.get $vc) (v128.load32_zero (local.get $c)))
                        (local.get $vd) (v128.load32_zero (local.get $d)))
                      (local.get $ve) (v128.load32_zero (local.get $e)))
                    (local.get $vf) (v128.load32_zero (local.get $f)))
                  (local.get $vg) (v128.load32_zero (local.get $g)))
                (local.get $vh) (v128.load32_zero (local.get $h))))))

        (local.set $features (i32.add (local.get $features) (i32.const 32)))
        (local.set $values (i32.add (local.get $values) (i32.const 32)))
        (br $next))))

  ;; Where the weights of a feature begin.
  (func $row (param $feature i32) (param $weights i32) (param $stride i32) (result i32)
    (i32.add (local.get $weights) (i32.mul (local.get $feature) (local.get $stride))))

  ;; Two sums, and a value times two weights, which are floats in the low half.
  (func $plus (param $sums v128) (param $value v128) (param $weights v128) (result v128)
    (f64x2.add (local.get $sums) (f64x2.mul (local.get $value) (f64x2.promote_low_f32x4 (local.get $weights))))))
